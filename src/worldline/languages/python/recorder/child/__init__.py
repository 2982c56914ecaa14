"""Modules that run in the child process, next to the program.

The recorded interpreter loads them as a package of their own, `child`. They import only the
standard library (CPython 3.10 or later) and each other, not worldline.
"""

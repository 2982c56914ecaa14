"""What runs beside the program: standard library only, any CPython from 3.10, no worldline.

These modules are loaded by the recorded interpreter as a package of their own, so they import
nothing from outside this folder.
"""

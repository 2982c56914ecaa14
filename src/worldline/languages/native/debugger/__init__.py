"""Code that gdb and the compiler's process execute, for all compiled languages."""

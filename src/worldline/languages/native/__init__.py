"""Programs of compiled languages: compiled in the sandbox, and executed by gdb."""

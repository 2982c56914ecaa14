"""Languages that programs are written in, and the sandbox that executes them."""

"""C++: recorder, source syntax and values."""

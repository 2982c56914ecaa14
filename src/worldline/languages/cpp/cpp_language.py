"""C++ as a `Language`."""

from worldline.core.language import Language
from worldline.languages.cpp import cpp_source, cpp_values
from worldline.languages.cpp.gdb_recorder import GdbRecorder

CPP = Language(
    name="cpp",
    title="C++",
    suffixes=(".cpp", ".cc", ".cxx"),
    highlighting="cpp",
    comment="//",
    value_notation="a C++ literal",
    source=cpp_source,
    values=cpp_values,
    recorder=GdbRecorder,
)

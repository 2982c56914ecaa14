"""Java as a `Language`."""

from worldline.core.language import Language
from worldline.languages.control_flow.syntax_tree import EXTRA, has_parser
from worldline.languages.java import java_cfg, java_source, java_values
from worldline.languages.java.jvm_recorder import JavaRecorder

JAVA = Language(
    name="java",
    title="Java",
    suffixes=(".java",),
    highlighting="java",
    comment="//",
    value_notation='a Java value such as ["a", "b"] or {"a"=1}',
    source=java_source,
    values=java_values,
    recorder=JavaRecorder,
    features=frozenset({"cfg"} if has_parser("java") else ()),
    cfg=java_cfg,
    extras={"cfg": EXTRA},
)

"""JavaScript and TypeScript as `Language`s."""

from dataclasses import replace

from worldline.core.language import Language
from worldline.languages.control_flow.syntax_tree import EXTRA, has_parser
from worldline.languages.javascript import javascript_source, javascript_values
from worldline.languages.javascript.javascript_cfg import JavaScriptCfg
from worldline.languages.javascript.node_recorder import NodeRecorder

JAVASCRIPT = Language(
    name="javascript",
    title="JavaScript",
    suffixes=(".js", ".mjs", ".cjs"),
    highlighting="javascript",
    comment="//",
    value_notation="a JavaScript literal",
    source=javascript_source,
    values=javascript_values,
    recorder=NodeRecorder,
    features=frozenset({"cfg"} if has_parser("javascript") else ()),
    cfg=JavaScriptCfg("javascript"),
    extras={"cfg": EXTRA},
)
TYPESCRIPT = replace(
    JAVASCRIPT,
    name="typescript",
    title="TypeScript",
    suffixes=(".ts", ".mts", ".cts"),
    highlighting="typescript",
    features=frozenset({"cfg"} if has_parser("typescript") else ()),
    cfg=JavaScriptCfg("typescript"),
)

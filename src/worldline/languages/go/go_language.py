"""Go as a `Language`."""

from worldline.core.language import Language
from worldline.languages.go import go_source, go_values
from worldline.languages.go.go_recorder import GoRecorder

GO = Language(
    name="go",
    title="Go",
    suffixes=(".go",),
    highlighting="go",
    comment="//",
    value_notation='a Go literal such as []int{1, 2} or map[string]int{"a": 1}',
    source=go_source,
    values=go_values,
    recorder=GoRecorder,
)

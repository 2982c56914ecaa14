"""Lua as a `Language`."""

from worldline.core.language import ChatExample, Language
from worldline_lua import lua_source, lua_values
from worldline_lua.lua_recorder import LuaRecorder

_EXAMPLE = ChatExample(
    source="function f(words, n)\n    local kept = {}\n    for _, word in ipairs(words) do\n"
    "        if #word > n then\n            kept[#kept + 1] = word:upper()\n        end\n"
    "    end\n    return kept\nend",
    call='f({"ab", "hello"}, 2)',
    answer="""\
The call begins with words = {"ab", "hello"} and n = 2.
kept becomes the empty table.
The loop takes word = "ab": its length 2 is not greater than 2, so nothing is added.
The loop takes word = "hello": its length 5 is greater than 2, so kept is {"HELLO"}.
The loop is over and kept is returned.
[ANSWER]
assert(f({"ab", "hello"}, 2) == {"HELLO"})
[/ANSWER]""",
    assertion="assert({call} == {result})",
)
LUA = Language(
    name="lua",
    title="Lua",
    suffixes=(".lua",),
    highlighting="lua",
    comment="--",
    value_notation='a Lua literal such as {1, "a"} or {a = 1}',
    source=lua_source,
    values=lua_values,
    recorder=LuaRecorder,
    chat_example=_EXAMPLE,
)

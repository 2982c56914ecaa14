-- Executes one program and records it. Runs in the sandbox, started by Worldline's exec server.
--
-- Input: a line `secret entry steps value_chars trace_bytes` (entry is "-" for the whole program), then the text of
-- the program. Output: rows of JSON as in Worldline's recording protocol, and ["stdout", text] rows.
local input, output = io.stdin, io.stdout
local secret, entry, max_steps, max_chars, max_bytes =
  input:read("l"):match("^(%S+) (%S+) (%d+) (%d+) (%d+)$")
max_steps, max_chars, max_bytes = tonumber(max_steps), tonumber(max_chars), tonumber(max_bytes)
local text = input:read("a")
local getinfo, getlocal, sethook, exit = debug.getinfo, debug.getlocal, debug.sethook, os.exit
local type, tostring, pairs, rawget, select, next = type, tostring, pairs, rawget, select, next
local format, gsub, rep, byte, sub = string.format, string.gsub, string.rep, string.byte, string.sub
local concat, sort, mathtype, utf8len = table.concat, table.sort, math.type, utf8.len
local CHUNK = "@program.lua"
local lines = {}
for line in (text .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line end

-- JSON ----------------------------------------------------------------------------------------------

local function json_string(value)
  local escaped = gsub(value, '[%c"\\]', function(c) return format("\\u%04x", byte(c)) end)
  return '"' .. escaped .. '"'
end

local function json_names(names)
  local parts = {}
  for index, name in ipairs(names) do parts[index] = json_string(name) end
  return "[" .. concat(parts, ",") .. "]"
end

-- Values --------------------------------------------------------------------------------------------

local ESCAPES = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\" }

local function quote(value)
  local pattern = utf8len(value) and '[%c"\\]' or '[%c"\\\128-\255]'
  return '"' .. gsub(value, pattern, function(c) return ESCAPES[c] or format("\\%03d", byte(c)) end) .. '"'
end

local render

local function render_table(value, seen)
  if seen[value] then return "<cycle>" end
  seen[value] = true
  local parts, count = {}, 0
  while rawget(value, count + 1) ~= nil do
    count = count + 1
    parts[count] = render(rawget(value, count), seen)
  end
  local named = {}
  for key, item in next, value do
    local is_item = mathtype(key) == "integer" and key >= 1 and key <= count
    if not is_item then
      local is_name = type(key) == "string" and key:match("^[%a_][%w_]*$")
      named[#named + 1] = (is_name and key or "[" .. render(key, seen) .. "]") .. " = " .. render(item, seen)
    end
  end
  -- The order of `pairs` is not stated by the language.
  sort(named)
  seen[value] = nil
  for _, each in ipairs(named) do parts[#parts + 1] = each end
  return "{" .. concat(parts, ", ") .. "}"
end

function render(value, seen)
  local kind = type(value)
  if kind == "string" then return quote(value) end
  if kind == "table" then return render_table(value, seen) end
  if kind == "number" or kind == "boolean" or kind == "nil" then return tostring(value) end
  return "<" .. kind .. ">"
end

local function value_text(value)
  local shown = render(value, {})
  if #shown <= max_chars then return shown end
  local last = max_chars
  while not utf8len(sub(shown, 1, last)) do last = last - 1 end
  return sub(shown, 1, last) .. "… <cut: " .. #shown .. " characters>"
end

-- Rows ----------------------------------------------------------------------------------------------

local steps, scopes, bytes = 0, 0, 0

local function write(row)
  bytes = bytes + #row + 1
  output:write(row, "\n")
end

local function finish(reason, detail)
  sethook()
  write(format('["end","%s",%s,[]]', reason, json_string(detail or "")))
  write(format('["epilogue",%d,%d,"%s"]', steps, scopes, secret))
  output:flush()
  exit(0, false)
end

local function step(row)
  if steps >= max_steps then finish("step_limit") end
  if bytes > max_bytes then finish("trace_limit") end
  write(row)
  steps = steps + 1
end

-- Events --------------------------------------------------------------------------------------------

-- The activations of the program's functions, outermost first.
local stack = {}

-- The name in the text of a function that begins on a line.
local function function_name(info)
  if info.what == "main" then return "<module>" end
  local line = lines[info.linedefined] or ""
  return line:match("function%s+([%w_.:]+)%s*%(") or line:match("([%w_.]+)%s*=%s*function") or "(anonymous)"
end

-- The values of the local variables; level 3 is the function of the hook's caller.
local function locals_of(parameters)
  local values, order, index = {}, {}, 1
  while not parameters or index <= parameters do
    local name, value = getlocal(4, index)
    if not name then break end
    if sub(name, 1, 1) ~= "(" then
      if values[name] == nil then order[#order + 1] = name end
      values[name] = value_text(value)
    end
    index = index + 1
  end
  return values, order
end

local function changes(frame, values, order)
  local parts, gone = {}, {}
  for _, name in ipairs(order) do
    if frame.values[name] ~= values[name] then
      parts[#parts + 1] = json_string(name) .. ":" .. json_string(values[name])
    end
  end
  for name in pairs(frame.values) do
    if values[name] == nil then gone[#gone + 1] = name end
  end
  sort(gone)
  frame.values = values
  return "{" .. concat(parts, ",") .. "}", gone
end

local function on_call(info, is_tail)
  local frame = { line = info.linedefined, scope = scopes, values = {}, is_tail = is_tail }
  if info.what == "main" then frame.line = 1 end
  local values, order = locals_of(info.nparams)
  write(format('["scope",%s,%d,%s,%d]', json_string(function_name(info)), frame.line, json_names(order), #order))
  scopes = scopes + 1
  stack[#stack + 1] = frame
  local changed = changes(frame, values, order)
  step(format('["call",%d,%d,%s]', frame.line, frame.scope, changed))
end

local function on_line(line)
  local frame = stack[#stack]
  if not frame then return end
  frame.line = line
  local changed, gone = changes(frame, locals_of())
  step(format('["line",%d,%d,%s,%s]', line, frame.scope, changed, json_names(gone)))
end

local function on_return(info)
  local texts = {}
  for index = info.ftransfer, info.ftransfer + info.ntransfer - 1 do
    local _, value = getlocal(3, index)
    texts[#texts + 1] = value_text(value)
  end
  local result = #texts == 0 and "nil" or concat(texts, ", ")
  -- A function that was called last has replaced its caller, which returns the same.
  repeat
    local frame = stack[#stack]
    if not frame then return end
    stack[#stack] = nil
    step(format('["return",%d,%d,%s]', frame.line, frame.scope, json_string(result)))
  until not frame.is_tail
end

local function hook(event, line)
  local info = getinfo(2, event == "line" and "S" or "Sur")
  if info.source ~= CHUNK then return end
  if event == "line" then on_line(line)
  elseif event == "return" then on_return(info)
  else on_call(info, event == "tail call") end
end

-- An exception leaves all activations above a height.
local function unwind(height, message)
  local shown = json_string(type(message) == "string" and message or value_text(message))
  while #stack > height do
    local frame = stack[#stack]
    stack[#stack] = nil
    step(format('["exception",%d,%d,%s]', frame.line, frame.scope, shown))
    step(format('["return",%d,%d,null]', frame.line, frame.scope))
  end
  return message
end

-- The program -----------------------------------------------------------------------------------------

local function print_text(...)
  write('["stdout",' .. json_string((gsub(..., "[\128-\255]+", function(part)
    return utf8len(part) and part or rep("?", #part)
  end))) .. "]")
end

local raw_xpcall, raw_pcall = xpcall, pcall

local function prepare()
  print = function(...)
    local parts = {}
    for index = 1, select("#", ...) do parts[index] = tostring((select(index, ...))) end
    print_text(concat(parts, "\t") .. "\n")
  end
  io.write = function(...)
    for index = 1, select("#", ...) do print_text(tostring((select(index, ...)))) end
  end
  io.stdout, io.stdin, io.stderr, io.read = nil, nil, nil, function() return nil end
  io.output, io.input, io.lines = nil, nil, nil
  os.exit = function(code) finish("exited", tostring(code == nil and 0 or code)) end
  xpcall = function(f, handler, ...)
    local height = #stack
    return raw_xpcall(f, function(message) return handler(unwind(height, message)) end, ...)
  end
  pcall = function(f, ...)
    local height = #stack
    return raw_xpcall(f, function(message) return unwind(height, message) end, ...)
  end
  debug = nil
  package.loaded.debug = nil
end

local function main()
  local chunk, problem = load(text, CHUNK, "t")
  if not chunk then finish("not_loaded", problem) end
  prepare()
  local start = chunk
  if entry ~= "-" then
    local ok, message = raw_pcall(chunk)
    if not ok then finish("not_loaded", tostring(message)) end
    start = _G[entry]
  end
  local ok, message = raw_xpcall(function()
    sethook(hook, "crl")
    -- Not a tail call: this function has to stay on the stack.
    local result = start()
    sethook()
    return result
  end, function(message)
    sethook()
    return unwind(0, message)
  end)
  if ok then finish("finished") end
  if message == "not enough memory" then finish("memory_limit") end
  finish("raised", type(message) == "string" and message or value_text(message))
end

main()

-- The requests of wrk, and its report at the end: one line of JSON. Its arguments are a method, the number of
-- the first record that it writes, and a body in which %d is that number, as in the path, and %s the label of an item.
local method, next_number, body

local function label(number)
  local letters = math.floor(number / 1000)
  return string.char(65 + math.floor(letters / 676), 65 + math.floor(letters / 26) % 26, 65 + letters % 26)
    .. string.format("%03d", number % 1000)
end

function init(args)
  method, next_number, body = args[1] or "GET", tonumber(args[2] or 0), args[3]
end

function request()
  if not body then return wrk.format(method) end
  local path = wrk.path:gsub("%%d", tostring(next_number))
  local sent = body:gsub("%%d", tostring(next_number)):gsub("%%s", label(next_number))
  next_number = next_number + 1
  return wrk.format(method, path, nil, sent)
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end

-- For wrk: requests of one kind, each with an id of its own, the tokens in turn.
-- Parameters: kind, file of tokens, first id, and the text of a plant's JSON after its id.

local kind, tokens, number, host, first, members
-- In a mix, the creates and deletes so far.
local created, deleted = 0, 0

function init(parameters)
  kind = parameters[1]
  tokens = {}
  for token in io.lines(parameters[2]) do tokens[#tokens + 1] = token end
  first = tonumber(parameters[3])
  number = first - 1
  members = parameters[4]
  host = wrk.headers['Host']
end

function request()
  number = number + 1
  if kind == 'mix' then return mixed(math.random(100)) end
  return requestOf(kind, number)
end

-- Plants are read most of the time. Of the 160,000 that are there already, the first are deleted, and the
-- last are created again, which changes nothing.
function mixed(chance)
  if chance <= 80 then return requestOf('page', number) end
  if chance <= 85 then
    deleted = deleted + 1
    return requestOf('delete', deleted)
  end
  if chance <= 88 then return requestOf('create', math.random(100000, 160000)) end
  created = created + 1
  return requestOf('create', first + created)
end

function requestOf(kind, id)
  local head = ' HTTP/1.1\r\nHost: ' .. host .. '\r\nAuthorization: Bearer ' .. tokens[id % #tokens + 1]
  if kind == 'create' then
    local body = string.format('{"id":%.0f,', id) .. members
    return 'POST /plants' .. head .. '\r\nContent-Type: application/json\r\nContent-Length: ' .. #body .. '\r\n\r\n' .. body
  end
  if kind == 'delete' then return string.format('DELETE /plants/%.0f', id) .. head .. '\r\n\r\n' end
  return 'GET /plants?limit=20' .. head .. '\r\n\r\n'
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"p99Ms":%.3f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(99) / 1000,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end

-- For wrk: requests of one kind, each with an id of its own, the tokens in turn.
-- Parameters: kind, file of tokens, first id, mean delay before a request in
-- milliseconds, the factor and modulus by which ids jump about, a header line
-- for all requests or '', the seconds after which no request is sent or 0, and
-- the text of a plant's JSON after its id.

local kind, tokens, number, host, mean, factor, modulus, header, first, members
local ending, worker
-- The connections that have all their answers, after the last request.
finished = 0
-- Of a mix.
local created, deleted = 0, 0

function init(parameters)
  kind = parameters[1]
  tokens = {}
  for token in io.lines(parameters[2]) do tokens[#tokens + 1] = token end
  first = tonumber(parameters[3])
  number = first - 1
  mean = tonumber(parameters[4])
  factor, modulus = tonumber(parameters[5]), tonumber(parameters[6])
  header = parameters[7]
  local seconds = tonumber(parameters[8])
  members = parameters[9]
  -- Lua's clock has whole seconds: the load lasts up to one more.
  if seconds > 0 then ending = os.time() + seconds + 1 end
  host = wrk.headers['Host']
  -- Without a delay, wrk asks for none.
  if mean == 0 and ending == nil then delay = nil end
end

-- Remembers the only thread for `done`, which runs outside it.
function setup(thread)
  worker = thread
end

function delay()
  if ending ~= nil and os.time() >= ending then
    finished = finished + 1
    -- Longer than any load.
    return 3600 * 1000
  end
  if mean == 0 then return 0 end
  return math.random() * 2 * mean + 0.5
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

function requestOf(kind, number)
  local id = number * factor % modulus
  local head = ' HTTP/1.1\r\nHost: ' .. host .. '\r\nAuthorization: Bearer ' .. tokens[number % #tokens + 1] .. header
  if kind == 'create' then
    local body = string.format('{"id":%.0f,', id) .. members
    return 'POST /plants' .. head .. '\r\nContent-Type: application/json\r\nContent-Length: ' .. #body .. '\r\n\r\n' .. body
  end
  if kind == 'delete' then return string.format('DELETE /plants/%.0f', id) .. head .. '\r\n\r\n' end
  return 'GET /plants' .. (kind == 'list' and '' or '?limit=20') .. head .. '\r\n\r\n'
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"p50":%.3f,"p99":%.3f,"worst":%.3f,"refused":%d,"broken":%d,"finished":%d}\n',
    summary.requests, summary.duration, latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout, worker:get('finished')))
end

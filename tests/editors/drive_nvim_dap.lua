-- Drives nvim-dap through a session with the engine: vim.g.driven = { SETTINGS, RXS, MODULE, LINE }. Prints where it
-- stopped, line by line, what an expression is, and "terminated" at the end.
local settings, rxs, module, line = unpack(vim.g.driven)
vim.g.relaxscope_rxs = rxs
local dap = require('dap')
dofile(settings)
-- The editor writes messages of its own that have no end.
local function say(...) io.stdout:write('\n' .. string.format(...) .. '\n') end

local stops, over = 0, false
dap.listeners.after.event_stopped['driven'] = function() stops = stops + 1 end
dap.listeners.after.event_terminated['driven'] = function() over = true end

-- The frames of the stop with this number; nothing where the program ends instead.
local function stopped(count)
  local frame
  vim.wait(20000, function()
    frame = stops >= count and dap.session() and dap.session().current_frame
    return over or frame
  end, 10)
  say(frame and string.format('stopped at %s:%d', frame.name, frame.line) or 'not stopped')
  return frame
end
-- The same once the client has taken the frame in that it had not before.
local function moved(count, move)
  dap.session().current_frame = nil
  move()
  return stopped(count)
end

vim.cmd('edit ' .. vim.fn.fnameescape(module))
vim.cmd('set filetype=python')
vim.api.nvim_win_set_cursor(0, { tonumber(line), 0 })
dap.set_breakpoint()
dap.run(dap.configurations.python[1])
stopped(1)
moved(2, dap.step_over)
local frame = moved(3, dap.step_back)
local answer
dap.session():request('evaluate', { expression = 'x[0, 3]', frameId = frame.id, context = 'repl' },
  function(failure, result) answer = failure and tostring(failure) or result.result end)
vim.wait(10000, function() return answer end, 10)
say('x[0, 3] is %s', answer)
moved(4, dap.restart)
dap.continue()
vim.wait(10000, function() return over end, 10)
say(over and 'terminated' or 'not terminated')
vim.cmd('qa!')

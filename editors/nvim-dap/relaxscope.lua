-- nvim-dap for Relax modules: require this file after nvim-dap; `:lua require('dap').continue()` in a module then
-- offers the configurations. Set vim.g.relaxscope_rxs where `rxs` is not on the path.
local dap = require('dap')

-- A configuration with `connect = "HOST:PORT"` goes to an engine that listens there; its token is in the environment's
-- RXS_DAP_TOKEN.
dap.adapters.relaxscope = function(callback, config)
  local args = { 'dap' }
  if config.connect then vim.list_extend(args, { '--connect', config.connect }) end
  callback({ type = 'executable', command = vim.g.relaxscope_rxs or 'rxs', args = args })
end

dap.configurations.python = dap.configurations.python or {}
vim.list_extend(dap.configurations.python, {
  { type = 'relaxscope', request = 'launch', name = 'relaxscope: this module', program = '${file}' },
  {
    type = 'relaxscope', request = 'launch', name = 'relaxscope: this module, from its first binding',
    program = '${file}', stopOnEntry = true,
  },
  {
    type = 'relaxscope', request = 'launch', name = 'relaxscope: listening engine', program = '${file}',
    connect = function() return vim.fn.input('HOST:PORT of the engine: ', '127.0.0.1:') end,
  },
})

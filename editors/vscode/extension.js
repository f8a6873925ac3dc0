// Starts the engine of a debug session: `rxs dap` as a child, or the bridge to one that listens elsewhere.
const vscode = require('vscode');

function activate(context) {
  const factory = {
    createDebugAdapterDescriptor(session) {
      const rxs = vscode.workspace.getConfiguration('relaxscope').get('rxs') || 'rxs';
      const { connect, token, engineArguments } = session.configuration;
      const args = ['dap'].concat(engineArguments || [], connect ? ['--connect', String(connect)] : []);
      const options = token ? { env: { RXS_DAP_TOKEN: token } } : undefined;
      return new vscode.DebugAdapterExecutable(rxs, args, options);
    },
  };
  const provider = {
    // F5 in a file without a launch.json.
    resolveDebugConfiguration(folder, config) {
      if (config.type || config.request || config.name) return config;
      const editor = vscode.window.activeTextEditor;
      if (!editor) return config;
      return { type: 'relaxscope', request: 'launch', name: 'relaxscope', program: editor.document.uri.fsPath };
    },
  };
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory('relaxscope', factory),
    vscode.debug.registerDebugConfigurationProvider('relaxscope', provider));
}

module.exports = { activate, deactivate() {} };

import '../packages/lab/src/survive/survive-command.js';

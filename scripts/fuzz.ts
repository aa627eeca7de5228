import '../packages/lab/src/fuzz/fuzz-command.js';

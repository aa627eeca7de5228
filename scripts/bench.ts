import '../packages/lab/src/bench/bench-command.js';

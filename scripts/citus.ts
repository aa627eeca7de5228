import '../packages/lab/src/citus/citus-command.js';

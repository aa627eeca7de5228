import '../test/faults/check-faults-command.js';

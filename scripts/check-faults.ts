import './contract/faults/command.js';

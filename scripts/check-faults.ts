import './faults/command.js';

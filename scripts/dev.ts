import './dev/command.js';

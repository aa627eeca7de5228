import './lab/fuzz/command.js';

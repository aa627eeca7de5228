import './lab/bench/command.js';

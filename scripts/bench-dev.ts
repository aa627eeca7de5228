import './lab/bench/dev-command.js';

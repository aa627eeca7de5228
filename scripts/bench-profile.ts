import './lab/bench/profile-command.js';

import './lab/citus/command.js';

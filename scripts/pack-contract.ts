import './contract/pack/command.js';

import './pack/pack-contract-command.js';

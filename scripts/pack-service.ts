import './pack/pack-service-command.js';

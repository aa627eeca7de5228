import './service/pack.js';

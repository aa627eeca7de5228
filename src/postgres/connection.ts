import pg from 'pg';

/** Knows whether its server is a standby: since version 14, PostgreSQL says so, and says when it changes. */
export class Connection extends pg.Client {
  isStandby = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    // node-postgres's types lack the event.
    const messages: NodeJS.EventEmitter = this.connection;
    messages.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'in_hot_standby') this.isStandby = parameterValue === 'on';
    });
  }
}

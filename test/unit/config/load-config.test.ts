import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { afterAll, describe, expect, test } from 'vitest';
import { type Config, ConfigError, loadConfig } from '../../../src/config/config.ts';
import { driftReferenceText, driftThresholdText } from '../../../src/config/values.ts';
import { DEFAULT_BLOCKED_PORTS } from '../../../src/outbound/blocked-ports.ts';

const KEY = '0a1b2c3d'.repeat(8);
const OTHER_KEY = 'b2c3'.repeat(16);
const PRODUCTION = {
  NODE_ENV: 'production',
  MONGODB_URI: 'mongodb://db.example.com/engagement?replicaSet=rs0',
  CONNECTOR_ENCRYPTION_KEY: KEY,
};

/** The lines that a start with these variables would be stopped by. */
function problems(env: Record<string, string | undefined>): string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

const proxy = (more: object) => ({
  host: 'proxy.example.com',
  port: 3128,
  authorization: null,
  bypass: [],
  resolvesNames: false,
  ...more,
});

describe('NO_PROXY', () => {
  const OUTBOUND_PROXY = 'http://proxy.example.com:3128';

  test.each([
    'exa mple.com,a/b',
    'http://example.com',
    '10.0.0.0/33',
    'example.com:0',
    'example.com:99999',
    '*.*.com',
  ])('%s is refused', (NO_PROXY) => {
    const lines = problems({ OUTBOUND_PROXY, NO_PROXY });
    expect(lines).toEqual([expect.stringMatching(/^NO_PROXY: .+; accepted: a comma-separated list/)]);
  });

  test('is ignored without OUTBOUND_PROXY: other programs have other rules', () => {
    expect(problems({ NO_PROXY: '<local>' })).toEqual([]);
  });
});

describe('defaults', () => {
  test('have the defaults of the contract if nothing is set', () => {
    expect(loadConfig({})).toEqual<Config>({
      production: false,
      embedded: true,
      loopback: true,
      host: '127.0.0.1',
      port: 4000,
      publicUrl: 'http://127.0.0.1:4000',
      role: 'all',
      workers: 1,
      logLevel: 'info',
      mongodbUri: null,
      mongodBinary: null,
      searchPath: '',
      dataDir: resolve('.data'),
      mlSidecarUrl: null,
      mlSidecarToken: null,
      mlSidecarTimeoutMs: 3000,
      driftThreshold: { general: 0.2, models: {} },
      driftCurrentWindow: null,
      driftOutcomeDelay: null,
      driftReference: { general: 'fixed', named: {} },
      driftCheckSchedule: '0 * * * *',
      recorderApiUrl: null,
      recorderProvider: 'standard',
      connectorPacingMs: 1250,
      meetingSyncSchedule: 3_600_000,
      encryptionKeys: null,
      webhookRetryDelaysMs: [300_000, 1_800_000, 7_200_000],
      webhookTimeoutMs: 5000,
      webhookAllowPrivateTargets: true,
      webhookAllowedSubnets: [],
      outboundProxy: null,
      webhookBlockedPorts: DEFAULT_BLOCKED_PORTS,
      webhookVerification: 'optional',
      webhookConcurrency: 256,
      webhookConcurrencyPerTenant: 64,
      webhookConcurrencyPerEndpoint: 16,
      deliveryRetentionMs: 30 * 86_400_000,
      apiKeyExpiryMs: null,
      apiKeyRemindersMs: [30, 7, 1].map((days) => days * 86_400_000),
      piiEncryption: false,
      customEventRetentionMs: null,
      tenantMaxima: { storedEvents: null, conversations: null, meetings: null, customEvents: null },
      rateLimit: { requests: 60_000, windowMs: 60_000 },
      httpMaxConnections: 10_000,
      httpMaxConnectionsPerAddress: 1_000,
      httpMaxRequestsPerKey: 16,
      corsOrigins: [],
      trustedProxies: [],
      graphqlDocuments: 'any',
      metrics: true,
      metricsToken: null,
      metricsPort: null,
      tracing: null,
    });
  });

  test('apply to empty and blank values too; surrounding blanks are ignored', () => {
    expect(loadConfig({ PORT: '', HOST: '  ', MONGODB_URI: '', CONNECTOR_ENCRYPTION_KEY: '' })).toEqual(
      loadConfig({}),
    );
    expect(loadConfig({ PORT: ' 4001 ' }).port).toBe(4001);
  });

  test('a worker has no other listener that METRICS_PORT could collide with', () => {
    expect(loadConfig({ ROLE: 'worker', METRICS_PORT: '4000' })).toMatchObject({
      port: 4000,
      metricsPort: 4000,
    });
  });

  test('ignore unknown variables', () => {
    expect(loadConfig({ WEBHOOK_COLOUR: 'green', EG_ANYTHING: '1' })).toEqual(loadConfig({}));
  });
});

describe('an invalid value', () => {
  test('is one line: name, problem, accepted values', () => {
    expect(problems({ PORT: '70000' })).toEqual([
      'PORT: "70000" is above 65535; accepted: a whole number from 0 to 65535',
    ]);
  });

  test('is reported with all others, including variables that production requires', () => {
    const lines = problems({ NODE_ENV: 'production', PORT: 'x', ROLE: 'boss', CONNECTOR_PACING: '1s' });
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      'PORT',
      'ROLE',
      'MONGODB_URI',
      'CONNECTOR_PACING',
      'CONNECTOR_ENCRYPTION_KEY',
    ]);
  });

  test('is reported in one line, whatever it contains', () => {
    expect(problems({ ROLE: 'all\nPORT: fine', DRIFT_CHECK_SCHEDULE: '1 2\n3 4 five' })).toHaveLength(2);
  });

  test.each([
    ['MONGODB_URI', 'postgres://admin:hunter2secret@db.example.com'],
    ['CONNECTOR_ENCRYPTION_KEY', `${KEY},hunter2secret`],
    ['METRICS_TOKEN', 'hunter2secret with blanks'],
    ['ML_SIDECAR_TOKEN', 'hunter2secret with blanks'],
    ['ML_SIDECAR_URL', 'http://user:hunter2secret@sidecar.example.com'],
    ['OUTBOUND_PROXY', 'https://user:hunter2secret@proxy.example.com'],
    ['RECORDER_API_URL', 'https://provider.example.com/?key=hunter2secret'],
  ])('of %s is not printed, because it may contain a secret', (name, value) => {
    const lines = problems({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name}: the value .+; accepted: `));
    expect(lines[0]).not.toContain('hunter2secret');
    expect(lines[0]).not.toContain(KEY);
  });
});

describe.each<[string, { accepted: [string, Partial<Config>][]; refused: string[] }]>([
  [
    'PORT',
    {
      accepted: [
        ['0', { port: 0 }],
        ['65535', { port: 65_535 }],
      ],
      refused: ['-1', '65536', '80.5', '0x50', '4000a', '1e3'],
    },
  ],
  [
    'METRICS_PORT',
    {
      accepted: [
        ['0', { metricsPort: 0 }],
        ['9464', { metricsPort: 9464 }],
      ],
      refused: ['-1', '65536', 'on', '4000'],
    },
  ],
  [
    'HOST',
    {
      accepted: [
        ['localhost', { host: 'localhost', loopback: true }],
        ['127.3.2.1', { loopback: true }],
        ['::1', { loopback: true }],
        ['0.0.0.0', { loopback: false }],
        ['::', { loopback: false }],
        ['api.example.com', { loopback: false }],
        ['localhost.example.com', { loopback: false }],
      ],
      refused: ['999.1.1.1', '127.1', 'a b', 'http://localhost', '127.0.0.1:80'],
    },
  ],
  [
    'ROLE',
    {
      accepted: [
        ['api', { role: 'api' }],
        ['worker', { role: 'worker' }],
      ],
      refused: ['API', 'both'],
    },
  ],
  [
    'LOG_LEVEL',
    {
      accepted: [
        ['silent', { logLevel: 'silent' }],
        ['trace', { logLevel: 'trace' }],
      ],
      refused: ['verbose', 'INFO'],
    },
  ],
  [
    'MONGODB_URI',
    {
      accepted: [
        ['mongodb://a,b,c/engagement', { mongodbUri: 'mongodb://a,b,c/engagement', embedded: false }],
        ['mongodb+srv://cluster.example.com/', { embedded: false }],
      ],
      refused: [
        'localhost:27017',
        'http://localhost',
        'mongodb://',
        'mongodb:///engagement',
        'mongodb+ssl://a',
      ],
    },
  ],
  [
    'WORKERS',
    {
      accepted: [
        ['1', { workers: 1 }],
        ['4', { workers: 4 }],
        ['auto', { workers: availableParallelism() }],
      ],
      refused: ['0', '257', '1.5', 'two', '-1'],
    },
  ],
  [
    'OUTBOUND_PROXY',
    {
      accepted: [
        ['http://proxy.example.com', { outboundProxy: proxy({ port: 80 }) }],
        ['http://proxy.example.com:3128/', { outboundProxy: proxy({}) }],
        ['http://[fd00::1]:3128', { outboundProxy: proxy({ host: 'fd00::1' }) }],
        [
          'http://us%40er:p%3Ass@proxy.example.com:3128',
          { outboundProxy: proxy({ authorization: `Basic ${btoa('us@er:p:ss')}` }) },
        ],
      ],
      refused: [
        'proxy.example.com:3128',
        'https://proxy.example.com',
        'socks5://proxy.example.com',
        'http://',
        'http://proxy.example.com/path',
        'http://proxy.example.com?a=b',
        'http://user:%zz@proxy.example.com',
      ],
    },
  ],
  [
    'WEBHOOK_ALLOWED_SUBNETS',
    {
      accepted: [['10.0.0.0/8,fd00::/8,127.0.0.1', { webhookAllowPrivateTargets: false }]],
      refused: ['10.0.0.0/33', '0.0.0.0/0', '::/0', 'internal.example.com', '10.0.0/8', ','],
    },
  ],
  ['MONGOD_BINARY', { accepted: [['/opt/mongod', { mongodBinary: '/opt/mongod' }]], refused: [] }],
  [
    'DATA_DIR',
    {
      accepted: [
        ['var/data', { dataDir: resolve('var/data') }],
        ['/srv/x', { dataDir: '/srv/x' }],
      ],
      refused: [],
    },
  ],
  [
    'ML_SIDECAR_URL',
    {
      accepted: [
        ['http://127.0.0.1:5000', { mlSidecarUrl: 'http://127.0.0.1:5000' }],
        ['https://ml.example.com/base/', { mlSidecarUrl: 'https://ml.example.com/base' }],
      ],
      refused: ['127.0.0.1:5000', 'ftp://a', 'http://u:p@a', 'http://a/?b=c', 'http://a/#b'],
    },
  ],
  [
    'RECORDER_API_URL',
    {
      accepted: [['https://r.example.com/v2', { recorderApiUrl: 'https://r.example.com/v2' }]],
      refused: ['r.example.com'],
    },
  ],
  [
    'ML_SIDECAR_TIMEOUT',
    {
      accepted: [
        ['1250ms', { mlSidecarTimeoutMs: 1250 }],
        ['1.5s', { mlSidecarTimeoutMs: 1500 }],
        ['2 minutes', { mlSidecarTimeoutMs: 120_000 }],
      ],
      refused: ['3', '0s', '-1s', 'soon', '5 parsecs', 's', '1s 2s', 'Infinity', '11m'],
    },
  ],
  [
    'DRIFT_THRESHOLD',
    {
      accepted: [
        ['0', { driftThreshold: { general: 0, models: {} } }],
        ['0.25', { driftThreshold: { general: 0.25, models: {} } }],
        ['1', { driftThreshold: { general: 1, models: {} } }],
        ['0.1, churn=0.3', { driftThreshold: { general: 0.1, models: { churn: 0.3 } } }],
        ['lead score=0.3', { driftThreshold: { general: 0.2, models: { 'lead score': 0.3 } } }],
      ],
      refused: ['1.1', '-0.1', 'NaN', '20%', '.2', '0.1,0.2', 'churn=0.3,churn=0.4', 'churn=2', 'churn='],
    },
  ],
  [
    'DRIFT_CURRENT_WINDOW',
    {
      accepted: [
        ['30', { driftCurrentWindow: { rows: 30, ms: null } }],
        ['100000', { driftCurrentWindow: { rows: 100_000, ms: null } }],
        ['14d', { driftCurrentWindow: { rows: null, ms: 14 * 86_400_000 } }],
        ['36 hours', { driftCurrentWindow: { rows: null, ms: 36 * 3_600_000 } }],
        [
          '100000, trial=14d',
          {
            driftCurrentWindow: {
              rows: 100_000,
              ms: null,
              stages: { trial: { rows: null, ms: 14 * 86_400_000 } },
            },
          },
        ],
        [
          'trial=50',
          { driftCurrentWindow: { rows: null, ms: null, stages: { trial: { rows: 50, ms: null } } } },
        ],
      ],
      refused: [
        '29',
        '0',
        '-100',
        '1e6',
        '100 rows',
        '1000000001',
        '500ms',
        'off',
        '14',
        '50,60',
        'trial=29',
        'trial=',
      ],
    },
  ],
  [
    'DRIFT_OUTCOME_DELAY',
    {
      accepted: [
        ['30d', { driftOutcomeDelay: { defaultMs: 30 * 86_400_000, stageMs: {} } }],
        [
          '30d,trial=7d, new deals=0s',
          {
            driftOutcomeDelay: {
              defaultMs: 30 * 86_400_000,
              stageMs: { trial: 7 * 86_400_000, 'new deals': 0 },
            },
          },
        ],
        ['trial=36 hours', { driftOutcomeDelay: { defaultMs: 0, stageMs: { trial: 36 * 3_600_000 } } }],
      ],
      refused: ['30', 'off', '-1d', '30d,', '30d,7d', 'trial=7d,trial=8d', '=7d', 'trial=', '3651d'],
    },
  ],
  [
    'DRIFT_REFERENCE',
    {
      accepted: [
        ['seasonal', { driftReference: { general: 'seasonal', named: {} } }],
        ['trial=trailing', { driftReference: { general: 'fixed', named: { trial: 'trailing' } } }],
        [
          'trailing, new deals=fixed,churn=seasonal',
          { driftReference: { general: 'trailing', named: { 'new deals': 'fixed', churn: 'seasonal' } } },
        ],
      ],
      refused: ['none', 'Fixed', '28d', 'fixed,', 'fixed,trailing', 'trial=', '=fixed', 'a=fixed,a=fixed'],
    },
  ],
  [
    'DRIFT_CHECK_SCHEDULE',
    {
      accepted: [
        ['*/15 * * * *', { driftCheckSchedule: '*/15 * * * *' }],
        ['30 0 3 * * MON', { driftCheckSchedule: '30 0 3 * * MON' }],
        ['1 hour', { driftCheckSchedule: 3_600_000 }],
        ['90s', { driftCheckSchedule: 90_000 }],
        ['off', { driftCheckSchedule: null }],
      ],
      refused: [
        '61 * * * *',
        '0 0 30 2 *',
        '* * * * * * *',
        '* * *',
        '@hourly',
        '5',
        '500ms',
        'hourly',
        'OFF',
      ],
    },
  ],
  [
    'MEETING_SYNC_SCHEDULE',
    {
      accepted: [
        ['off', { meetingSyncSchedule: null }],
        ['0 4 * * *', { meetingSyncSchedule: '0 4 * * *' }],
      ],
      refused: ['0', 'never'],
    },
  ],
  [
    'RECORDER_PROVIDER',
    {
      accepted: [['standard', { recorderProvider: 'standard' }]],
      refused: ['zoom', 'Standard', '__proto__'],
    },
  ],
  [
    'CONNECTOR_PACING',
    {
      accepted: [
        ['10ms', { connectorPacingMs: 10 }],
        ['0ms', { connectorPacingMs: 0 }],
      ],
      refused: ['-1ms', '1250'],
    },
  ],
  [
    'CONNECTOR_ENCRYPTION_KEY',
    {
      accepted: [
        [KEY, { encryptionKeys: [KEY] }],
        [`${KEY.toUpperCase()}, ${OTHER_KEY}`, { encryptionKeys: [KEY, OTHER_KEY] }],
      ],
      refused: [
        KEY.slice(1),
        `${KEY}0`,
        'z'.repeat(64),
        `${KEY},`,
        `${KEY},${KEY.toUpperCase()}`,
        `${KEY};${OTHER_KEY}`,
      ],
    },
  ],
  [
    'WEBHOOK_RETRY_DELAYS',
    {
      accepted: [
        ['1s,2s,3s', { webhookRetryDelaysMs: [1000, 2000, 3000] }],
        ['100ms, 1m, 1 hour', { webhookRetryDelaysMs: [100, 60_000, 3_600_000] }],
      ],
      refused: ['5m,30m', '5m,30m,2h,4h', '5m,,2h', '5,30,2', '5m 30m 2h', '0s,1s,2s'],
    },
  ],
  [
    'WEBHOOK_TIMEOUT',
    {
      accepted: [
        ['12s', { webhookTimeoutMs: 12_000 }],
        ['200ms', { webhookTimeoutMs: 200 }],
      ],
      refused: ['12001ms', '1m', '0s', '5'],
    },
  ],
  [
    'WEBHOOK_ALLOW_PRIVATE_TARGETS',
    {
      accepted: [
        ['true', { webhookAllowPrivateTargets: true }],
        ['false', { webhookAllowPrivateTargets: false }],
      ],
      refused: ['1', 'yes', 'TRUE', 'on'],
    },
  ],
  [
    'WEBHOOK_CONCURRENCY',
    {
      accepted: [
        ['512', { webhookConcurrency: 512, webhookConcurrencyPerTenant: 128 }],
        ['16', { webhookConcurrencyPerTenant: 4, webhookConcurrencyPerEndpoint: 4 }],
        ['3', { webhookConcurrency: 3, webhookConcurrencyPerTenant: 1, webhookConcurrencyPerEndpoint: 1 }],
      ],
      refused: ['0', '-1', '1.5', '10001'],
    },
  ],
  [
    'WEBHOOK_CONCURRENCY_PER_TENANT',
    {
      accepted: [
        ['200', { webhookConcurrencyPerTenant: 200 }],
        ['512', { webhookConcurrencyPerTenant: 256 }],
        ['2', { webhookConcurrencyPerTenant: 2, webhookConcurrencyPerEndpoint: 2 }],
      ],
      refused: ['0', '-1', '1.5', '10001', 'many'],
    },
  ],
  [
    'WEBHOOK_CONCURRENCY_PER_ENDPOINT',
    { accepted: [['1', { webhookConcurrencyPerEndpoint: 1 }]], refused: ['0', 'many'] },
  ],
  [
    'DELIVERY_RETENTION',
    { accepted: [['7d', { deliveryRetentionMs: 604_800_000 }]], refused: ['30', '0d', '11y'] },
  ],
  [
    'API_KEY_EXPIRY',
    { accepted: [['90d', { apiKeyExpiryMs: 90 * 86_400_000 }]], refused: ['90', '0d', 'never'] },
  ],
  [
    'API_KEY_REMINDERS',
    {
      accepted: [
        ['14d, 12h', { apiKeyRemindersMs: [14 * 86_400_000, 43_200_000] }],
        ['off', { apiKeyRemindersMs: [] }],
      ],
      refused: ['14', '30d,', '0d', 'never', '1d,2d,3d,4d,5d,6d,7d,8d,9d,10d,11d'],
    },
  ],
  [
    'PII_ENCRYPTION',
    {
      accepted: [
        ['on', { piiEncryption: true }],
        ['off', { piiEncryption: false }],
      ],
      refused: ['yes', 'true', 'ON'],
    },
  ],
  [
    'CUSTOM_EVENT_RETENTION',
    { accepted: [['365d', { customEventRetentionMs: 31_536_000_000 }]], refused: ['30', '0d', '11y'] },
  ],
  [
    'TENANT_MAX_MEETINGS',
    {
      accepted: [
        ['1', { tenantMaxima: { storedEvents: null, conversations: null, meetings: 1, customEvents: null } }],
      ],
      refused: ['0', '-1', '1.5', '5000001', 'many'],
    },
  ],
  [
    'RATE_LIMIT',
    {
      accepted: [
        ['off', { rateLimit: null }],
        ['50/s', { rateLimit: { requests: 50, windowMs: 1000 } }],
        ['50/sec', { rateLimit: { requests: 50, windowMs: 1000 } }],
        ['9 / hour', { rateLimit: { requests: 9, windowMs: 3_600_000 } }],
        ['100/10s', { rateLimit: { requests: 100, windowMs: 10_000 } }],
      ],
      refused: ['60000', '0/min', '-1/min', '5/fortnight', '5/10', '5/', '1/ms', '1/2d', 'on'],
    },
  ],
  [
    'CORS_ORIGINS',
    {
      accepted: [
        ['*', { corsOrigins: '*' }],
        ['https://app.example.com', { corsOrigins: ['https://app.example.com'] }],
        [
          'https://a.example , http://localhost:5173',
          { corsOrigins: ['https://a.example', 'http://localhost:5173'] },
        ],
      ],
      refused: [
        'app.example.com',
        'null',
        'https://app.example.com/',
        'https://App.example.com',
        'https://app.example.com:443',
        'https://*.example.com',
        'https://a.example,*',
        'ftp://a.example',
        'https://a.example,,',
      ],
    },
  ],
  [
    'TRUSTED_PROXIES',
    {
      accepted: [
        ['10.0.0.0/8', { trustedProxies: [[ipaddr.parse('10.0.0.0'), 8]] }],
        ['192.0.2.7', { trustedProxies: [[ipaddr.parse('192.0.2.7'), 32]] }],
        [
          '127.0.0.1, 2001:db8::/32 ,::1',
          {
            trustedProxies: [
              [ipaddr.parse('127.0.0.1'), 32],
              [ipaddr.parse('2001:db8::'), 32],
              [ipaddr.parse('::1'), 128],
            ],
          },
        ],
        ['::ffff:10.0.0.0/104', { trustedProxies: [[ipaddr.parse('10.0.0.0'), 8]] }],
      ],
      refused: [
        'proxy.example.com',
        'loopback',
        '10/8',
        '10.0.0.0/33',
        '10.0.0.0/-1',
        '10.0.0.0/',
        '10.0.0.0/255.0.0.0',
        '2001:db8::/129',
        '10.0.0.1,',
        '10.0.0.1:80',
        '10.0.0.1 10.0.0.2',
        '*',
        '0.0.0.0/0',
        '::/0',
        '::ffff:0.0.0.0/96',
      ],
    },
  ],
  [
    'METRICS',
    {
      accepted: [
        ['on', { metrics: true }],
        ['off', { metrics: false }],
      ],
      refused: ['true', 'ON'],
    },
  ],
  [
    'METRICS_TOKEN',
    { accepted: [['abc-._~+/123==', { metricsToken: 'abc-._~+/123==' }]], refused: ['a b', 'ü', 'a=b'] },
  ],
  [
    'ML_SIDECAR_TOKEN',
    { accepted: [['abc-._~+/123==', { mlSidecarToken: 'abc-._~+/123==' }]], refused: ['a b', 'ü', 'a=b'] },
  ],
])('%s', (name, { accepted, refused }) => {
  test.each(accepted)('accepts %j', (value, expected) => {
    expect(loadConfig({ [name]: value })).toMatchObject(expected);
  });

  test.each(refused.map((value) => [value]))('rejects %j', (value) => {
    const lines = problems({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name}: .+; accepted: .+`));
  });
});

describe('production', () => {
  test('starts with a database and an encryption key', () => {
    expect(loadConfig(PRODUCTION)).toMatchObject({
      production: true,
      embedded: false,
      encryptionKeys: [KEY],
    });
  });

  test('rejects embedded mode', () => {
    expect(problems({ ...PRODUCTION, MONGODB_URI: '' })).toEqual([
      'MONGODB_URI: is not set but required with NODE_ENV=production; accepted: a connection string that starts with mongodb:// or mongodb+srv:// and names a host',
    ]);
  });

  test('does not generate an encryption key', () => {
    expect(problems({ ...PRODUCTION, CONNECTOR_ENCRYPTION_KEY: undefined })[0]).toMatch(
      /^CONNECTOR_ENCRYPTION_KEY: is not set but required with NODE_ENV=production; accepted: 64 hexadecimal characters/,
    );
  });

  test('rejects an interval below the minimum of the provider, and accepts the minimum', () => {
    expect(problems({ ...PRODUCTION, CONNECTOR_PACING: '1199ms' })).toEqual([
      'CONNECTOR_PACING: "1199ms" is below 1200ms; accepted: a duration with a unit, such as 1250ms, 5m or 1 hour, at least 1200ms, at most 10m',
    ]);
    expect(loadConfig({ ...PRODUCTION, CONNECTOR_PACING: '1200ms' }).connectorPacingMs).toBe(1200);
  });
});

describe('blocked ports', () => {
  test('are a list of their own, or none', () => {
    expect([...loadConfig({ WEBHOOK_BLOCKED_PORTS: '22, 6379' }).webhookBlockedPorts]).toEqual([22, 6379]);
    expect(loadConfig({ WEBHOOK_BLOCKED_PORTS: 'none' }).webhookBlockedPorts.size).toBe(0);
  });

  test.each(['0', '65536', '22;25', '-1', '22,', 'ssh'])('of %j are refused', (text) => {
    expect(problems({ WEBHOOK_BLOCKED_PORTS: text })).toEqual([
      expect.stringMatching(/^WEBHOOK_BLOCKED_PORTS: .* is not a port; accepted: /),
    ]);
  });
});

describe('a secret in a file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'engagement-secrets-'));
  afterAll(() => rmSync(dir, { recursive: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };

  test.each([
    ['MONGODB_URI', 'mongodb://user:hunter2@db/engagement?replicaSet=rs0', 'mongodbUri'],
    ['METRICS_TOKEN', 'm3trics', 'metricsToken'],
    ['ML_SIDECAR_TOKEN', 's1decar', 'mlSidecarToken'],
  ] as const)('is the content of %s, without its trailing newline', (name, value, key) => {
    for (const text of [value, `${value}\n`, `${value}\r\n`])
      expect(loadConfig({ [`${name}_FILE`]: file('secret', text) })[key]).toBe(value);
  });

  test('may hold several encryption keys, and satisfies production', () => {
    const { CONNECTOR_ENCRYPTION_KEY, ...others } = PRODUCTION;
    const path = file('keys', `${CONNECTOR_ENCRYPTION_KEY},${OTHER_KEY}\n`);
    expect(loadConfig({ ...others, CONNECTOR_ENCRYPTION_KEY_FILE: path }).encryptionKeys).toEqual([
      KEY,
      OTHER_KEY,
    ]);
  });

  test('is ignored for a blank name of the file, and used for a blank value', () => {
    const path = file('token', 't0ken');
    expect(loadConfig({ METRICS_TOKEN_FILE: ' ' })).toEqual(loadConfig({}));
    expect(loadConfig({ METRICS_TOKEN: '', METRICS_TOKEN_FILE: path }).metricsToken).toBe('t0ken');
  });

  test('is refused if the variable is set as well', () => {
    const path = file('token', 't0ken');
    expect(problems({ METRICS_TOKEN: 't0ken', METRICS_TOKEN_FILE: path })).toEqual([
      'METRICS_TOKEN_FILE: is set as well as METRICS_TOKEN; accepted: one of the two',
    ]);
  });

  test.each([
    ['a file that does not exist', () => join(dir, 'hunter2secret'), 'cannot be read (ENOENT)'],
    ['a directory', () => dir, 'cannot be read (EISDIR)'],
    ['an empty file', () => file('empty', '\n'), 'is empty'],
    ['a large file', () => file('large', 'hunter2secret'.repeat(10_000)), 'has more than 65536 bytes'],
    ['an endless file', () => '/dev/zero', 'has more than 65536 bytes'],
    [
      'a value that is not valid',
      () => file('bad', `${KEY},hunter2secret`),
      'key 2 of 2 is not 64 hexadecimal',
    ],
  ])('is one line for %s, which names the variable and not the content', (_name, path, problem) => {
    const lines = problems({ CONNECTOR_ENCRYPTION_KEY_FILE: path(), PORT: 'x' });
    expect(lines).toHaveLength(2);
    const line = lines.find((text) => text.startsWith('CONNECTOR_ENCRYPTION_KEY_FILE: '));
    expect(line).toContain(problem);
    expect(line).not.toContain('hunter2secret');
    expect(line).not.toContain(KEY);
  });
});

describe('the encryption key of a command', () => {
  const { CONNECTOR_ENCRYPTION_KEY, ...others } = PRODUCTION;

  test('is what the command prints, and satisfies production', () => {
    for (const [command, keys] of [
      [`printf %s ${CONNECTOR_ENCRYPTION_KEY}`, [KEY]],
      [`echo ${CONNECTOR_ENCRYPTION_KEY},$(echo ${OTHER_KEY} | cat)`, [KEY, OTHER_KEY]],
    ] as const)
      expect(loadConfig({ ...others, KEY_PROVIDER: command }).encryptionKeys).toEqual(keys);
  });

  test.each([
    ['echo hunter2secret; exit 3', 'the command ended with exit code 3'],
    ['kill -TERM $$', 'the command ended with SIGTERM'],
    ['true', 'the command printed nothing'],
    ['yes hunter2secret', 'the command printed more than 65536 bytes'],
    ['hunter2secret 2>/dev/null', 'the command ended with exit code 127'],
    [`echo ${KEY},hunter2secret`, 'the value is not valid: key 2 of 2 is not 64 hexadecimal characters'],
  ])('is one line for %j, which has neither the command nor its output', (command, problem) => {
    const lines = problems({ KEY_PROVIDER: command });
    expect(lines).toEqual([expect.stringContaining(`KEY_PROVIDER: ${problem}; accepted: `)]);
    expect(lines[0]).not.toMatch(/hunter2secret|echo/);
  });

  test.each(['CONNECTOR_ENCRYPTION_KEY', 'CONNECTOR_ENCRYPTION_KEY_FILE'])('is refused beside %s', (name) => {
    const value = name.endsWith('_FILE') ? import.meta.filename : KEY;
    expect(problems({ KEY_PROVIDER: `echo ${KEY}`, [name]: value })).toContain(
      `KEY_PROVIDER: is set as well as ${name}; accepted: one of the two`,
    );
  });
});

describe('traces', () => {
  const TO = 'http://collector:4318';
  const OURS = { serviceName: 'engagement' };
  test.each([
    ['nothing asks for them', {}, null],
    ['a collector is named', { OTEL_EXPORTER_OTLP_ENDPOINT: TO }, OURS],
    ['a collector of traces is named', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${TO}/v1/traces` }, OURS],
    ['an exporter is named', { OTEL_TRACES_EXPORTER: 'otlp' }, OURS],
    ['the exporter is none', { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: TO }, null],
    ['the SDK is disabled', { OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_ENDPOINT: TO }, null],
    ['only metrics have a collector', { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: TO }, null],
    ['the value is blank', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ', OTEL_TRACES_EXPORTER: '' }, null],
    [
      'the service has a name',
      { OTEL_EXPORTER_OTLP_ENDPOINT: TO, OTEL_SERVICE_NAME: 'eu-1' },
      { serviceName: null },
    ],
    [
      'the service has a name among its attributes',
      { OTEL_TRACES_EXPORTER: 'otlp', OTEL_RESOURCE_ATTRIBUTES: 'a=b, service.name=eu-1' },
      { serviceName: null },
    ],
  ])('where %s: %j results in %j', (_name, env, expected) => {
    expect(loadConfig(env).tracing).toEqual(expected);
  });
});

describe('private webhook targets', () => {
  test.each([
    ['embedded on loopback', {}, true],
    ['embedded on any other address', { HOST: '0.0.0.0' }, false],
    [
      'embedded on any other address when the variable says so',
      { HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' },
      true,
    ],
    ['embedded on loopback when the variable forbids it', { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' }, false],
    ['on a database of its own', { MONGODB_URI: 'mongodb://127.0.0.1' }, false],
  ])('%s: %j results in %s', (_name, env, allowed) => {
    expect(loadConfig(env).webhookAllowPrivateTargets).toBe(allowed);
  });
});

test.each(['trailing', 'fixed,trial=seasonal,new deals=trailing'])(
  'DRIFT_REFERENCE=%s reaches the embedded sidecar unchanged',
  (text) => {
    const { driftReference } = loadConfig({ DRIFT_REFERENCE: text });
    const passed = loadConfig({ DRIFT_REFERENCE: driftReferenceText(driftReference) });
    expect(passed.driftReference).toEqual(driftReference);
  },
);

test.each(['0', '0.0000001', '0.2', '0.333333333333333314', '1', '0.2,churn=0.0000001'])(
  'DRIFT_THRESHOLD=%s reaches the embedded sidecar unchanged',
  (text) => {
    const { driftThreshold } = loadConfig({ DRIFT_THRESHOLD: text });
    const passed = loadConfig({ DRIFT_THRESHOLD: driftThresholdText(driftThreshold) });
    expect(passed.driftThreshold).toEqual(driftThreshold);
  },
);

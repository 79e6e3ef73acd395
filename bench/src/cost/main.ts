import { parseArgs } from 'node:util';
import { PRICES, TRAFFIC, toPlanTable } from './model.ts';

const USAGE = `npm run bench -- cost [--clicks 1e9]… [--months 13] [--peak 5] [--leads 0.02] [--sales 0.005] [--disk-price 0.1] …
Prints the machines, disk, and costs of an installation. It measures nothing.
  --clicks         clicks a month; give it several times to compare. Default: 1e8, 1e9, 1e10
  --months         months for which clicks remain in the database
  --new-visitors   the share of the clicks that come from new visitors. Each new visitor is stored forever
  --peak           the rate of the busiest minute, divided by the mean rate
  --leads, --sales the number of leads, and of sales, per click
  --node-price, --database-price, --disk-price, --backup-price, --zone-price
                   dollars a month: core of a server, core of Postgres, GB of disk, GB of object storage,
                   GB of traffic between zones`;

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', multiple: true, default: ['1e8', '1e9', '1e10'] },
    months: { type: 'string', default: String(TRAFFIC.months) },
    peak: { type: 'string', default: String(TRAFFIC.peak) },
    'new-visitors': { type: 'string', default: String(TRAFFIC.newVisitors) },
    leads: { type: 'string', default: String(TRAFFIC.leads) },
    sales: { type: 'string', default: String(TRAFFIC.sales) },
    'node-price': { type: 'string', default: String(PRICES.nodeCore) },
    'database-price': { type: 'string', default: String(PRICES.databaseCore) },
    'disk-price': { type: 'string', default: String(PRICES.diskGb) },
    'backup-price': { type: 'string', default: String(PRICES.backupGb) },
    'zone-price': { type: 'string', default: String(PRICES.zoneGb) },
    help: { type: 'boolean', default: false },
  },
});

function toNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  console.error(`--${name} must be a number of at least 0, got "${text}".`);
  return process.exit(1);
}

if (values.help) {
  console.log(USAGE);
} else {
  const amounts = values.clicks.map((text) => toNumber('clicks', text));
  const traffic = {
    leads: toNumber('leads', values.leads),
    sales: toNumber('sales', values.sales),
    peak: toNumber('peak', values.peak),
    months: toNumber('months', values.months),
    newVisitors: toNumber('new-visitors', values['new-visitors']),
  };
  const prices = {
    nodeCore: toNumber('node-price', values['node-price']),
    databaseCore: toNumber('database-price', values['database-price']),
    diskGb: toNumber('disk-price', values['disk-price']),
    backupGb: toNumber('backup-price', values['backup-price']),
    zoneGb: toNumber('zone-price', values['zone-price']),
  };
  console.log(toPlanTable(amounts, traffic, prices));
}

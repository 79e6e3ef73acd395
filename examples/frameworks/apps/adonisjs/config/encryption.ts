import { defineConfig, drivers } from '@adonisjs/core/encryption';

const key = process.env.APP_KEY ?? '';

export default defineConfig({ default: 'gcm', list: { gcm: drivers.aes256gcm({ id: 'gcm', keys: [key] }) } });

import { defineConfig, stores } from '@adonisjs/session';

export default defineConfig({ store: 'cookie', stores: { cookie: stores.cookie() } });

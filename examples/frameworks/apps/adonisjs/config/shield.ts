import { defineConfig } from '@adonisjs/shield';

export default defineConfig({
  csrf: { enabled: true, exceptRoutes: ['/sign-up', '/webhooks/stripe'], methods: ['POST'] },
});

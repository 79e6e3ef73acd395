import { CLICK_RESPONSE, createBareServer, reportListening } from './bare-server.ts';

reportListening(createBareServer(() => CLICK_RESPONSE).listen(0, '127.0.0.1'));

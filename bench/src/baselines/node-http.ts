import { CLICK_RESPONSE, createBareServer, reportListening } from './answer.ts';

reportListening(createBareServer(() => CLICK_RESPONSE).listen(0, '127.0.0.1'));

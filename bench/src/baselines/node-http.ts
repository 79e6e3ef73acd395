import { ANSWER, announce, bareServer } from './answer.ts';

announce(bareServer(() => ANSWER).listen(0, '127.0.0.1'));

import './styles/index.css';
import { render } from 'preact';
import { App, loadFirstPage } from './app.tsx';

const root = document.querySelector('#app');
// Until then, the skeleton that the server has sent stands there.
if (root) void loadFirstPage().finally(() => render(<App />, root));

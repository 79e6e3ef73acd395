import './styles/index.css';
import { render } from 'preact';
import { App, loadFirstPage } from './app.tsx';

const root = document.querySelector('#app');
// Until the page is loaded, the skeleton in the server's HTML is shown.
if (root) void loadFirstPage().finally(() => render(<App />, root));

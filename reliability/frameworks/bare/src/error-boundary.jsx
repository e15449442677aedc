'use client';

import { Component } from 'react';

class Boundary extends Component {
  state = {};

  static getDerivedStateFromError(error) {
    return { error };
  }

  render() {
    if (!this.state.error) return this.props.children;
    return (
      <main>
        <h1>Failed</h1>
        <p id="digest">{this.state.error.digest}</p>
      </main>
    );
  }
}

/** A function, since RedwoodSDK finds no class among the exports of a client module. */
export function ErrorBoundary({ children }) {
  return <Boundary>{children}</Boundary>;
}

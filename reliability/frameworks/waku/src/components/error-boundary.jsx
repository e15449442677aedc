'use client';

import { Component } from 'react';

export class ErrorBoundary extends Component {
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

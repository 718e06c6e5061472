/// The sound from a microphone, and the times at which it entered.
package struct Recording: Hashable, Sendable {
  /// The samples of one channel, between -1 and 1.
  package var samples: [Float]
  /// The nominal number of samples per second.
  package var rate: Int
  /// Readings of the recording's own time, which begins with its first sample, and of this machine's clock.
  package var marks: [ClockMark]

  package init(samples: [Float], rate: Int, marks: [ClockMark]) {
    self.samples = samples
    self.rate = rate
    self.marks = marks
  }
}

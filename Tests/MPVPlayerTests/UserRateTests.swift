import Testing

@testable import MPVPlayer

@Suite("The rate that a user chose") struct UserRateTests {
  /// The controller's nudges: steady, correcting, the largest possible, and the roundest that occur.
  private static let nudges = [
    1, 1.00007, 0.99993, 1.000_123_456, 1.0042, 0.9957, 1.05, 0.95, 1.0001, 1.005, 1.000_002_1,
    1.02,
  ].map(UserRate.unround)
  private static let rates = [1.0, 1.25, 0.8, 1.1, 2, 0.909_091, 1.331, 0.5]

  @Test("A speed that is set is taken unchanged", arguments: nudges)
  func set(nudge: Double) {
    for rate in Self.rates {
      for wanted in [1.0, 1.25, 0.8, 1.5, 2, 0.5, 1.1] {
        #expect(
          UserRate.rate(observed: wanted, from: rate, nudge: nudge) == wanted, "from \(rate)")
      }
    }
  }

  @Test("A multiplied speed loses its adjustment", arguments: nudges)
  func multiplied(nudge: Double) {
    for rate in Self.rates {
      for factor in [1.1, 1 / 1.1, 2, 0.5] {
        let reported = UserRate.rate(observed: rate * nudge * factor, from: rate, nudge: nudge)
        // Half a millionth is rounded up or down.
        #expect(abs(reported - rate * factor) < 0.6e-6, "\(rate) by \(factor)")
      }
    }
  }

  @Test("A speed with an added step loses its adjustment", arguments: nudges)
  func added(nudge: Double) {
    for rate in Self.rates where rate != 0.909_091 {
      for step in [0.1, -0.1, 0.25, 0.05] {
        let expected = ((rate + step) * 1e6).rounded() / 1e6
        #expect(
          UserRate.rate(observed: rate * nudge + step, from: rate, nudge: nudge) == expected,
          "\(rate) and \(step)")
      }
    }
  }

  @Test("A step down and a step up end at the former rate", arguments: nudges)
  func thereAndBack(nudge: Double) {
    let slow = UserRate.rate(observed: nudge / 1.1, from: 1, nudge: nudge)
    #expect(slow == 0.909_091)
    #expect(UserRate.rate(observed: slow * nudge * 1.1, from: slow, nudge: nudge) == 1)
  }
}

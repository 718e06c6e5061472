import Timekeeping

/// The remarks of earlier evenings about the film on the screen, each due when the film comes to its place.
package struct Echoes: Hashable, Sendable {
  /// A remark about the film, usually of an earlier evening.
  package struct Echo: Hashable, Sendable {
    package var name: String
    package var text: String
    package var itemTime: MediaTime

    package init(name: String, text: String, itemTime: MediaTime) {
      (self.name, self.text, self.itemTime) = (name, text, itemTime)
    }
  }

  /// The largest advance between two looks that is playback; a larger one is a jump.
  static let stride = Duration.seconds(3)
  /// The largest number of remarks that are due at once.
  static let burst = 5

  /// A Boolean value that indicates whether they are shown.
  private(set) var isOn = true
  /// The film's identifier.
  private var film: String?
  /// In the order of the film.
  private(set) var echoes: [Echo] = []
  private var position: MediaTime?

  mutating func toggle() { isOn.toggle() }

  mutating func began(_ film: String) {
    guard film != self.film else { return }
    self.film = film
    (echoes, position) = ([], nil)
  }

  mutating func recalled(_ echoes: [Echo], of film: String) {
    guard film == self.film else { return }
    self.echoes = echoes.sorted { $0.itemTime < $1.itemTime }
  }

  /// Returns the remarks at the places that the film has passed since the last call.
  mutating func due(at position: MediaTime?) -> [Echo] {
    defer { self.position = position }
    guard isOn, !echoes.isEmpty, let last = self.position, let position, last < position,
      position - last <= Self.stride
    else { return [] }
    return Array(
      echoes.filter { last < $0.itemTime && $0.itemTime <= position }.prefix(Self.burst))
  }
}

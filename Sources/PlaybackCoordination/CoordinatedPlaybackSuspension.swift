import Timekeeping

/// A period in which one participant's player is apart from the group: the group's commands don't move it, and its own
/// changes don't move the group. Mirrors `AVCoordinatedPlaybackSuspension`.
public struct CoordinatedPlaybackSuspension: Sendable, Identifiable {
  /// Identifies the suspension on this machine.
  public let id: UInt64
  /// The reason, which the other participants see.
  public let reason: Reason
  /// The time at which the suspension began.
  public let beginDate: HostTime
  weak let coordinator: DelegatingPlaybackCoordinator?

  /// Ends the suspension. After the last suspension the player goes to the group's position.
  public func end() async { await coordinator?.end(self) }

  /// Ends the suspension. After the last suspension the group goes to `newTime`, at the group's rate.
  ///
  /// - Parameter newTime: the position in the item.
  public func end(proposingNewTime newTime: MediaTime) async {
    await coordinator?.end(self, proposingNewTime: newTime)
  }

  /// The reason for a suspension, which the other participants see. An open set: any string of the app's of up to
  /// ``lengthLimit`` bytes is a reason too.
  ///
  /// Mirrors `AVCoordinatedPlaybackSuspension.Reason`.
  public struct Reason: RawRepresentable, Hashable, Sendable, Codable {
    /// The reason's text, which the others receive.
    public let rawValue: String

    /// Creates a reason of the app's. An unusable text is refused when a suspension begins: see ``check()``.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The maximum length of a reason, in bytes of UTF-8.
    public static let lengthLimit = 128

    /// Checks that the reason can be sent to the others.
    ///
    /// - Throws: ``CoordinationError/unusableReason`` if it is empty, longer than ``lengthLimit``, or contains control
    ///   characters.
    public func check() throws(CoordinationError) {
      let hasControls = rawValue.unicodeScalars.contains {
        switch $0.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
      }
      guard (1...Self.lengthLimit).contains(rawValue.utf8.count), !hasControls else {
        throw .unusableReason
      }
    }

    /// Another program took the audio device.
    public static let audioSessionInterrupted = Reason(rawValue: "audioSessionInterrupted")
    /// The player ran out of data, or missed a start.
    public static let stallRecovery = Reason(rawValue: "stallRecovery")
    /// An advertisement or a trailer is playing.
    public static let playingInterstitial = Reason(rawValue: "playingInterstitial")
    /// The player can't follow, for example because its file is broken.
    public static let coordinatedPlaybackNotPossible = Reason(
      rawValue: "coordinatedPlaybackNotPossible")
    /// The viewer has to do something first.
    public static let userActionRequired = Reason(rawValue: "userActionRequired")
    /// The viewer is dragging the position.
    public static let userIsChangingCurrentTime = Reason(rawValue: "userIsChangingCurrentTime")
  }
}

extension CoordinatedPlaybackSuspension: Hashable {
  public static func == (a: Self, b: Self) -> Bool {
    a.id == b.id && a.coordinator === b.coordinator
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

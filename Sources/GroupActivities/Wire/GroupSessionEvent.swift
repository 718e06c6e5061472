import Foundation

/// A participant's action, for a notice to the other users. Mirrors `GroupActivities.GroupSessionEvent`.
public struct GroupSessionEvent: Hashable, Sendable {
  /// The acting participant, proven by its key.
  public let originator: Participant
  /// The action that the notice reports.
  public let action: Action
  /// The address of the action's object, if it has one.
  public let url: String?

  /// An action that a notice describes. Mirrors `GroupSessionEvent.Action`.
  public enum Action: Hashable, Sendable, Codable {
    /// Starts or resumes playback.
    case play
    /// Pauses playback.
    case pause
    /// Moves to another position in the item.
    case seek
    /// Skips to another item; `item` is its title, if known.
    case skip(item: String?)
    /// Changes the list of items to come; nil if the change isn't known.
    case updatedQueue(QueueChange?)
  }

  /// A change of the list of items to come, with an item's title if known.
  public enum QueueChange: Hashable, Sendable, Codable {
    /// Appends an item to the list.
    case added(String?)
    /// Makes an item the next one.
    case setUpNext(String?)
  }

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - originator: the participant that acts: this one.
  ///   - action: the action.
  ///   - url: the address of the action's object; nil for none. Receivers see 2000 characters at most.
  public init(originator: Participant, action: Action, url: String? = nil) {
    self.originator = originator
    self.action = action
    self.url = url
  }

  private struct Body: Codable {
    var action: Action
    var url: String?
  }

  func encoded() -> Data {
    do {
      return try JSONEncoder().encode(Body(action: action, url: url))
    } catch {
      preconditionFailure("a notice of ours can't be encoded: \(error)")
    }
  }

  /// Decodes an event. The originator is always the message's sender, whatever the message claims.
  init?(decoding data: Data, from source: Participant) {
    guard let body = try? JSONDecoder().decode(Body.self, from: data) else { return nil }
    self.init(
      originator: source, action: body.action.cleaned,
      url: body.url.map { PartyText.clean($0, limit: 2000) })
  }
}

extension GroupSessionEvent.Action {
  /// The action with cleaned titles, since they come from another machine.
  fileprivate var cleaned: Self {
    func clean(_ title: String?) -> String? { title.map { PartyText.clean($0, limit: 200) } }
    switch self {
    case .play, .pause, .seek, .updatedQueue(nil): return self
    case .skip(let item): return .skip(item: clean(item))
    case .updatedQueue(.added(let item)): return .updatedQueue(.added(clean(item)))
    case .updatedQueue(.setUpNext(let item)): return .updatedQueue(.setUpNext(clean(item)))
    }
  }
}

import Foundation

/// A participant's action, for a notice to the other users. Mirrors `GroupActivities.GroupSessionEvent`.
public struct GroupSessionEvent: Hashable, Sendable {
  /// The acting participant, proven by its key.
  public let originator: Participant
  public let action: Action
  /// The address of the action's object, if it has one.
  public let url: String?

  public enum Action: Hashable, Sendable, Codable {
    case play
    case pause
    case seek
    /// Skips to another item; `item` is its title, if known.
    case skip(item: String?)
    case updatedQueue(QueueChange?)
  }

  public enum QueueChange: Hashable, Sendable, Codable {
    case added(String?)
    case setUpNext(String?)
  }

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

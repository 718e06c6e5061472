import CMPV
import Timekeeping

/// A copied `mpv_event`.
enum MPVEvent: Hashable, Sendable {
  case shutdown
  case logMessage(level: LogLevel, prefix: String, text: String)
  /// The answer to any asynchronous request; `code` below zero is its `mpv_error`.
  case reply(id: UInt64, code: CInt, value: MPVValue)
  case startFile(entryID: Int64)
  case endFile(EndOfFile)
  case fileLoaded
  /// mpv has loaded its scripts, or closed its last file, and has no other file to open.
  case idle
  case seek
  case playbackRestart
  /// `observer` is the number under which the property is observed.
  case propertyChange(name: String, value: MPVValue, observer: UInt64)
  /// The arguments of `script-message-to` and `script-binding`.
  case clientMessage([String])
  case other

  enum LogLevel: Hashable, Sendable { case fatal, error, warning, other }

  struct EndOfFile: Hashable, Sendable {
    enum Reason: Hashable, Sendable { case eof, stop, quit, error, redirect, other }

    var entryID: Int64
    var reason: Reason
    /// The `mpv_error` for `.error`, else zero.
    var code: CInt
    /// For `.redirect`: the first of the entries that took the place of this one.
    var insertedEntryID: Int64
    /// The number of entries that took the place of this one.
    var insertedCount = 0
  }

  /// - Parameter timeline: the film's times on the party's timeline; nil if they are the same.
  init(_ event: mpv_event, on timeline: CopyTimeline? = nil) {
    switch event.event_id {
    case MPV_EVENT_SHUTDOWN: self = .shutdown
    case MPV_EVENT_LOG_MESSAGE:
      let message = event.data.load(as: mpv_event_log_message.self)
      self = .logMessage(
        level: LogLevel(message.log_level), prefix: String(cString: message.prefix),
        text: String(cString: message.text))
    case MPV_EVENT_GET_PROPERTY_REPLY:
      var value = MPVValue.none
      if event.error >= 0, let data = event.data {
        let property = data.load(as: mpv_event_property.self)
        value = MPVEvent.value(of: property, on: timeline)
      }
      self = .reply(id: event.reply_userdata, code: event.error, value: value)
    case MPV_EVENT_SET_PROPERTY_REPLY:
      self = .reply(id: event.reply_userdata, code: event.error, value: .none)
    case MPV_EVENT_COMMAND_REPLY:
      var value = MPVValue.none
      if event.error >= 0, let data = event.data {
        value = MPVValue(data.load(as: mpv_event_command.self).result)
      }
      self = .reply(id: event.reply_userdata, code: event.error, value: value)
    case MPV_EVENT_START_FILE:
      self = .startFile(entryID: event.data.load(as: mpv_event_start_file.self).playlist_entry_id)
    case MPV_EVENT_END_FILE:
      self = .endFile(EndOfFile(event.data.load(as: mpv_event_end_file.self)))
    case MPV_EVENT_FILE_LOADED: self = .fileLoaded
    case MPV_EVENT_IDLE: self = .idle
    case MPV_EVENT_SEEK: self = .seek
    case MPV_EVENT_PLAYBACK_RESTART: self = .playbackRestart
    case MPV_EVENT_PROPERTY_CHANGE:
      let property = event.data.load(as: mpv_event_property.self)
      self = .propertyChange(
        name: String(cString: property.name), value: MPVEvent.value(of: property, on: timeline),
        observer: event.reply_userdata)
    case MPV_EVENT_CLIENT_MESSAGE:
      let message = event.data.load(as: mpv_event_client_message.self)
      self = .clientMessage(
        (0..<Int(message.num_args)).compactMap { index in
          message.args[index].map { String(cString: $0) }
        })
    default: self = .other  // an open set: newer libmpv versions have more
    }
  }

  /// Returns the value of a property; every property is requested as a node.
  private static func value(
    of property: mpv_event_property, on timeline: CopyTimeline?
  ) -> MPVValue {
    guard property.format == MPV_FORMAT_NODE, let data = property.data else { return .none }
    let value = MPVValue(data.load(as: mpv_node.self))
    guard let timeline, MPVProperty.times.contains(String(cString: property.name)) else {
      return value
    }
    return value.mappingTimes { timeline.party(at: $0) }
  }
}

extension MPVEvent.LogLevel {
  init(_ level: mpv_log_level) {
    switch level {
    case MPV_LOG_LEVEL_FATAL: self = .fatal
    case MPV_LOG_LEVEL_ERROR: self = .error
    case MPV_LOG_LEVEL_WARN: self = .warning
    default: self = .other
    }
  }
}

extension MPVEvent.EndOfFile {
  init(_ end: mpv_event_end_file) {
    let reason: Reason =
      switch end.reason {
      case MPV_END_FILE_REASON_EOF: .eof
      case MPV_END_FILE_REASON_STOP: .stop
      case MPV_END_FILE_REASON_QUIT: .quit
      case MPV_END_FILE_REASON_ERROR: .error
      case MPV_END_FILE_REASON_REDIRECT: .redirect
      default: .other
      }
    self.init(
      entryID: end.playlist_entry_id, reason: reason, code: reason == .error ? end.error : 0,
      insertedEntryID: end.playlist_insert_id,
      insertedCount: Int(end.playlist_insert_num_entries))
  }
}

/// An event with the instant at which libmpv delivered it, before any queue of the player's.
struct StampedEvent: Sendable {
  let event: MPVEvent
  let hostTime: HostTime
}

/// The isolation of everything that one program's screening consists of: its loop and its adapters.
///
/// They share one actor, so that none of them sees another's state in the middle of a change.
@globalActor
package actor ScreeningActor {
  package static let shared = ScreeningActor()
}

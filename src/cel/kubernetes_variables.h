// The variables that the API server gives to expressions, place by place, as tables: what a request of admission holds,
// a namespace, a user, a request to an authorization webhook. Each call adds to `declarations`.
#pragma once

#include "cel/declaration.h"

namespace cel {

const Declaration* DeclareJsonPatch(Declarations& declarations);  // "JSONPatch", what mutating policies make
const Declaration* DeclareAdmissionRequest(Declarations& declarations);  // "kubernetes.AdmissionRequest"
const Declaration* DeclareNamespace(Declarations& declarations);         // "kubernetes.Namespace"
const Declaration* DeclareUserInfo(Declarations& declarations);          // "kubernetes.UserInfo"
// `selectors`: the feature gate AuthorizeWithSelectors.
const Declaration* DeclareSubjectAccessReview(Declarations& declarations,
                                              bool selectors);  // "kubernetes.SubjectAccessReviewSpec"
// The types of the variables authorizer and authorizer.requestResource.
const Type* AuthorizerType(Declarations& declarations);
const Type* ResourceCheckType(Declarations& declarations);

}  // namespace cel
